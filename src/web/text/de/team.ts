import type { Dictionary } from '../languages/en.ts'

export const team: Dictionary['team'] = {}
