import type { Dictionary } from '../languages/en.ts'

export const explore: Dictionary['explore'] = {}
