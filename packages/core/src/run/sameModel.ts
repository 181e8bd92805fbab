/**
 * Whether a reported model is the one that was asked for. Programs report the full id of an alias (claude 2.1.332:
 * `opus` is reported as `claude-opus-5-5`) and leave out a modifier such as `[1m]`; neither is another model.
 */
export const sameModel = (requested: string, actual: string): boolean => {
  const asked = plain(requested)
  const got = plain(actual)
  return asked === got || `-${got}-`.includes(`-${asked}-`)
}

/** Lower case, without modifier and without the vendor's path. */
const plain = (model: string): string =>
  model
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, "")
    .replace(/^.*\//, "")
