import type { Dictionary } from '../languages/en.ts'

export const money: Dictionary['money'] = {}
