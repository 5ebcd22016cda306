/** Names of the classes of a CSS module. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  export default classes
}

/** The text of a style sheet: only in the frame that plays recordings. */
declare module '*.css' {
  const text: string
  export default text
}
