import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../src/config.ts'

const folder = join(projectRoot, 'src', 'web')
const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
const components = all.filter(name => /\.tsx?$/.test(name))
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
/** Without its imports, whose paths look like classes. */
const body = (name: string) => read(name).replace(/^import .*$/gm, '')

/** Classes that are chosen by a value, such as `css[tone]`: what is in the sheet may all be used. */
const isComputed = (source: string, name: string) => new RegExp(`\\b${name}\\[`).test(source)

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

describe('style sheets of the web interface', () => {
  test.each(components.filter(name => importsOf(name).length > 0))(
    '%s uses classes that there are',
    component => {
      const source = body(component)
      for (const { name, sheet } of importsOf(component)) {
        const used = [...source.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, each]) => each!)
        expect(
          used.filter(each => !classesIn(sheet).has(each)),
          sheet,
        ).toEqual([])
      }
    },
  )

  test.each(all.filter(name => name.endsWith('.module.css')))('%s has no class that is not used', sheet => {
    const users = components.filter(name => importsOf(name).some(each => each.sheet === sheet))
    expect(users, `nothing imports ${basename(sheet)}`).not.toEqual([])
    const used = users.flatMap(component => {
      const source = body(component)
      return importsOf(component)
        .filter(each => each.sheet === sheet)
        .flatMap(({ name }) =>
          isComputed(source, name)
            ? [...classesIn(sheet)]
            : [...source.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, each]) => each!),
        )
    })
    expect([...classesIn(sheet)].filter(name => !used.includes(name))).toEqual([])
  })
})
