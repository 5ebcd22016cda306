import type { Dictionary } from '../languages/en.ts'

export const account: Dictionary['account'] = {}
