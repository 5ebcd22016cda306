import type { Dictionary } from '../languages/en.ts'

export const settings: Dictionary['settings'] = {}
