import * as ofEffect from "effect/FastCheck"
import * as fc from "fast-check"

const { ALLUKA_TEST_PROPERTY_RUNS: runs, ALLUKA_TEST_PROPERTY_SEED: seed } = process.env

const settings = {
  ...(runs === undefined ? {} : { numRuns: Number(runs) }),
  ...(seed === undefined ? {} : { seed: Number(seed) })
}

/**
 * Loaded only where one of these is set: `ALLUKA_TEST_PROPERTY_RUNS` tries every property that many times instead of a
 * hundred; `ALLUKA_TEST_PROPERTY_SEED` tries the same values each time, so that a failure says something about a change.
 * Arbitraries of schemas come with a fast-check of their own.
 */
fc.configureGlobal(settings)
ofEffect.configureGlobal(settings)
