import type { Dictionary } from '../languages/en.ts'

export const auth: Dictionary['auth'] = {}
