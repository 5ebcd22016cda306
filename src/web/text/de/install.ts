import type { Dictionary } from '../languages/en.ts'

export const install: Dictionary['install'] = {}
