/**
 * Identifiers. Random parts are 12 characters of Crockford's base32, lower case (60 bits): short enough to type,
 * without `i l o u`, and far from colliding in one store.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "../Schema.js"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const randomPart = "[0-9a-hjkmnp-tv-z]{12}"

export const CheckpointId = Schema.String.pipe(
  Schema.pattern(new RegExp(`^ckpt_${randomPart}$`)),
  Schema.brand("CheckpointId")
)
export type CheckpointId = typeof CheckpointId.Type

export const SessionId = Schema.String.pipe(
  Schema.pattern(new RegExp(`^ses_${randomPart}$`)),
  Schema.brand("SessionId")
)
export type SessionId = typeof SessionId.Type

/** Id of an owning process: the name of its lock file too, so only characters that are safe in a file name. */
export const OwnerId = Schema.String.pipe(Schema.pattern(new RegExp(`^own_${randomPart}$`)), Schema.brand("OwnerId"))
export type OwnerId = typeof OwnerId.Type

/**
 * Where random ids come from. Effect's default `Random` is seeded with 32 bits, so the ids of many processes collide;
 * this service draws from the platform's generator instead.
 */
export class Ids extends Context.Tag("@alluka/core/Ids")<
  Ids,
  {
    readonly checkpoint: Effect.Effect<CheckpointId>
    readonly session: Effect.Effect<SessionId>
    readonly owner: Effect.Effect<OwnerId>
  }
>() {}

/** The platform's generator, named here because core compiles without any platform's types; looked up when it is first needed. */
const randomBytes = (bytes: Uint8Array): Uint8Array => {
  const { crypto } = globalThis as unknown as {
    readonly crypto: { readonly getRandomValues: (bytes: Uint8Array) => Uint8Array }
  }
  return crypto.getRandomValues(bytes)
}

const randomText = (): string => {
  const bytes = randomBytes(new Uint8Array(12))
  return Array.from(bytes, (byte) => alphabet[byte & 31]).join("")
}

export const layer: Layer.Layer<Ids> = Layer.succeed(Ids, {
  checkpoint: Effect.sync(() => CheckpointId.make(`ckpt_${randomText()}`)),
  session: Effect.sync(() => SessionId.make(`ses_${randomText()}`)),
  owner: Effect.sync(() => OwnerId.make(`own_${randomText()}`))
})
