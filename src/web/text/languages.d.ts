import type { Dictionary } from './languages/en.ts'

/** Loads the texts of each language but English: the build finds them in the folder `languages`. */
declare const languages: Readonly<Record<string, () => Promise<{ dictionary: Dictionary }>>>
export default languages
