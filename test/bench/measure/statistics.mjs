/** Medians and other middle figures of samples. Pure. */

/** The value below which a share of the samples lies; `share` from 0 to 1. `NaN` of no samples. */
export const quantile = (samples, share) => {
  const sorted = Float64Array.from(samples).sort()
  return sorted.length === 0 ? Number.NaN : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

export const median = (samples) => quantile(samples, 0.5)

/**
 * How much more the first costs than the second: the median of the ratios of neighbouring samples, since what else a
 * machine does meanwhile changes from minute to minute and strikes both neighbours alike.
 */
export const medianRatio = (samples, base) => median(samples.map((sample, index) => sample / base[index]))
