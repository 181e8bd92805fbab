/**
 * Takes samples of several things in turn, and in another order each round, so that what the machine does besides strikes
 * all of them.
 */
export const interleave = async (rounds, things) => {
  const names = Object.keys(things)
  const samples = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length]
      samples[name].push(await things[name](round))
    }
  }
  return samples
}
