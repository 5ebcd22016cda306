/** Redis has one second for an answer, which it exceeds now and then on a machine that is busy with other things. */
export const LATE_REDIS = 'The queue cannot answer now; try again shortly'
