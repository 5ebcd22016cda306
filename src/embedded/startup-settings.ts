/** Parameters of the startup message that are no settings, or only a label of the connection. */
const NOT_SETTINGS = new Set(['user', 'database', 'replication', 'options', 'application_name'])

/** `-c name=value`, `-cname=value` or `--name=value`; a backslash protects a space. */
const OPTION = /(?:-c\s*|--)([\w.-]+)=((?:\\.|[^\s\\])*)/g

/**
 * SQL that makes the settings a client asked for when it connected, through parameters of their own
 * (`TimeZone`) or through `options`.
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

/** A string literal that means the same whatever `standard_conforming_strings` says. */
function quote(text: string): string {
  return `E'${text.replace(/[\\']/g, character => `\\${character}`)}'`
}
