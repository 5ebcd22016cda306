export const goals = {}
