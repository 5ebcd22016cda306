export const events = {}
