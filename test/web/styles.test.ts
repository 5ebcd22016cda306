import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../src/platform/config/config.ts'

const folder = join(projectRoot, 'src', 'web')
const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
const components = all.filter(name => /\.tsx?$/.test(name))
const texts = new Map<string, string>()
function read(name: string): string {
  const text = texts.get(name) ?? readFileSync(join(folder, name), 'utf8')
  texts.set(name, text)
  return text
}
/** Without its imports, whose paths look like classes. */
const body = (name: string) => read(name).replace(/^import .*$/gm, '')

/** Imports of style sheets of a component: the name it gives them, and their files. */
const importsOf = (component: string) =>
  [...read(component).matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)].map(([, name, path]) => ({
    name: name!,
    sheet: join(dirname(component), path!),
  }))

const classesIn = (sheet: string) =>
  new Set(
    [
      ...read(sheet)
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .matchAll(/\.(-?[_a-zA-Z][\w-]*)/g),
    ].map(([, name]) => name!),
  )

/** Classes that a component names under the name of an import. */
const namedIn = (component: string, name: string) =>
  [...body(component).matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, each]) => each!)

/** The same, or all classes of the sheet where one is chosen by a value, such as `css[tone]`. */
const usedIn = (component: string, { name, sheet }: { name: string; sheet: string }) =>
  new RegExp(`\\b${name}\\[`).test(body(component)) ? [...classesIn(sheet)] : namedIn(component, name)

test.each(components.filter(name => importsOf(name).length > 0))(
  'style sheets: %s uses classes that there are',
  component => {
    for (const { name, sheet } of importsOf(component)) {
      const missing = namedIn(component, name).filter(each => !classesIn(sheet).has(each))
      expect(missing, sheet).toEqual([])
    }
  },
)

test.each(all.filter(name => name.endsWith('.module.css')))(
  'style sheets: %s has no class that is not used',
  sheet => {
    const used = components.flatMap(component =>
      importsOf(component)
        .filter(each => each.sheet === sheet)
        .flatMap(each => usedIn(component, each)),
    )
    expect(used, `nothing imports ${sheet}`).not.toEqual([])
    expect([...classesIn(sheet)].filter(name => !used.includes(name))).toEqual([])
  },
)
