/**
 * Returns the regular expression of comma-separated path patterns: `*` matches any characters except `/`, `**` any
 * characters, everything else is literal. It matches whole paths, with or without a query; without patterns, no path.
 */
export const patternsOf = (patterns = ''): RegExp =>
  RegExp(
    `^(${patterns
      .replace(/[^\w\s,/*]/g, '\\$&')
      .replace(/\s*,\s*/g, '|')
      .replace(/\*+/g, stars => (stars[1] ? '.*' : '[^/]*'))})([?#].*)?$`,
  )
