import type { Dictionary } from '../languages/en.ts'

export const people: Dictionary['people'] = {}
