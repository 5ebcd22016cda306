/** Metrics of web vitals in the order of answers; each is a column of `web_vitals`. */
export const VITALS = ['lcp', 'inp', 'cls', 'fcp', 'ttfb'] as const
export type Vital = (typeof VITALS)[number]

/** Metrics that may name the element that decided the value: column `lcp_target`, and so on. */
export const VITALS_OF_TARGETS = ['lcp', 'inp', 'cls'] as const satisfies Vital[]
/** Metrics that may name their longest phase: column `lcp_phase`, and so on. */
export const VITALS_OF_PHASES = ['lcp', 'inp', 'fcp', 'ttfb'] as const satisfies Vital[]
