export const explore = {}
