export const install = {}
