import * as fc from "fast-check"

/** Loaded only with `ALLUKA_TEST_PROPERTY_RUNS`: every property is tried that many times instead of a hundred. */
fc.configureGlobal({ numRuns: Number(process.env.ALLUKA_TEST_PROPERTY_RUNS) })
