import type { Converter } from './converter.ts'
import { umami } from './umami/umami.ts'

/** Converters by the name of their format: `import:<name>` on the command line, `format` in the API. */
export const CONVERTERS: Record<string, Converter> = { umami }
