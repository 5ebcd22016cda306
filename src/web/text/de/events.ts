import type { Dictionary } from '../languages/en.ts'

export const events: Dictionary['events'] = {}
