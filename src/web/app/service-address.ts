/** Address of this service as pages of other sites have to name it, without a slash at its end. */
export const serviceAddress = (): string => document.baseURI.replace(/\/$/, '')
