/** What a resume may do, capped by the policy: a stored value never asks for more than today's configuration allows. */
import { type Checkpoint, currentPhase } from "../checkpoint/Checkpoint.js"
import type { Permission } from "../checkpoint/state.js"
import type { Facts } from "./Facts.js"

const rank: Readonly<Record<Permission, number>> = { read: 0, edit: 1, full: 2 }

/** A permission, or the policy's cap where that is less. */
export const capped = (wanted: Permission, policy: Facts["policy"]): Permission =>
  rank[wanted] > rank[policy.maxPermission] ? policy.maxPermission : wanted

/** The permission asked for now, else the stored one of the phase, or the run. */
export const wantedPermission = (facts: Pick<Facts, "request">, checkpoint: Checkpoint): Permission =>
  facts.request.permission ?? currentPhase(checkpoint.progress).permission ?? checkpoint.spec.permission

/** The permission a resume runs with: the wanted one, never above the policy's cap. */
export const cappedPermission = (facts: Pick<Facts, "request" | "policy">, checkpoint: Checkpoint): Permission =>
  capped(wantedPermission(facts, checkpoint), facts.policy)
