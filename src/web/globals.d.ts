/** Names of the classes of a CSS module. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  export default classes
}
