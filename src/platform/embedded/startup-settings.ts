/** Parameters of the startup message that are not settings, or only label the connection. */
const NOT_SETTINGS = new Set(['user', 'database', 'replication', 'options', 'application_name'])

/** `-c name=value`, `-cname=value` or `--name=value`; a backslash escapes a space. */
const OPTION = /(?:-c\s*|--)([\w.-]+)=((?:\\.|[^\s\\])*)/g

/**
 * Returns SQL that applies the settings of a startup message, which are separate parameters (`TimeZone`) or part
 * of `options`.
 * @returns '' when there are none
 */
export function startupSettings(parameters: Map<string, string>): string {
  const settings = new Map<string, string>()
  for (const [, name, value] of (parameters.get('options') ?? '').matchAll(OPTION))
    settings.set(name!.replaceAll('-', '_'), value!.replace(/\\(.)/g, '$1'))
  for (const [name, value] of parameters) {
    const isDefault = name === 'client_encoding' && /^'?utf-?8'?$/i.test(value)
    if (!NOT_SETTINGS.has(name) && !name.startsWith('_pq_.') && !isDefault) settings.set(name, value)
  }
  if (settings.size === 0) return ''
  const calls = [...settings].map(([name, value]) => `set_config(${quote(name)}, ${quote(value)}, false)`)
  return `select ${calls.join(', ')}`
}

/** A string literal that does not depend on `standard_conforming_strings`. */
function quote(text: string): string {
  return `E'${text.replace(/[\\']/g, character => `\\${character}`)}'`
}
