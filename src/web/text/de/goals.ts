import type { Dictionary } from '../languages/en.ts'

export const goals: Dictionary['goals'] = {}
