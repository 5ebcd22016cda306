/**
 * A regular expression for comma-separated path patterns: `*` is any run without `/`, `**` any run, everything else
 * literal. It fits whole paths, with or without a query; without patterns none.
 */
export const patternsOf = (patterns = ''): RegExp =>
  RegExp(
    `^(${patterns
      .replace(/[^\w\s,/*]/g, '\\$&')
      .replace(/\s*,\s*/g, '|')
      .replace(/\*+/g, stars => (stars[1] ? '.*' : '[^/]*'))})([?#].*)?$`,
  )
