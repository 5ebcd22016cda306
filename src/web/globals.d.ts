/** Names of the classes of a CSS module. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  export default classes
}

/** Languages of the interface, from the build: each file of src/web/text. */
declare const LANGUAGES: readonly string[]
