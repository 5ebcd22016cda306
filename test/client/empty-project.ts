import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../src/platform/config/config.ts'

const run = promisify(execFile)

interface Manifest {
  name: string
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/**
 * Packs the client and installs the tarball in an empty project, as npm would but without a network: its dependencies are copied
 * from this checkout. They are copies and not links, because a linked package finds everything that the checkout has installed.
 */
export async function emptyProject() {
  const folder = await mkdtemp(join(tmpdir(), 'analytics-client-'))
  const modules = join(folder, 'node_modules')
  const installed = join(modules, '@analytics-backend', 'client')
  await mkdir(installed, { recursive: true })
  await run('npm', ['pack', '-w', 'src/client', '--pack-destination', folder], { cwd: projectRoot })
  const tarball = join(folder, (await readdir(folder)).find(name => name.endsWith('.tgz'))!)
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')

  const manifestIn = async (path: string): Promise<Manifest> =>
    JSON.parse(await readFile(join(path, 'package.json'), 'utf8'))
  const install = async ({ dependencies, peerDependencies, peerDependenciesMeta }: Manifest) => {
    const peers = Object.keys(peerDependencies ?? {}).filter(name => !peerDependenciesMeta?.[name]?.optional)
    for (const name of [...Object.keys(dependencies ?? {}), ...peers]) {
      if (packages.has(name)) continue
      packages.add(name)
      await cp(join(projectRoot, 'node_modules', name), join(modules, name), { recursive: true })
      await install(await manifestIn(join(modules, name)))
    }
  }
  const packages = new Set<string>()
  const manifest = await manifestIn(installed)
  await install(manifest)

  return {
    tarball,
    installed,
    manifest,
    /** Names of all packages that are installed with the client. */
    packages: [...packages].sort(),
    /** Writes a file and runs a program of the project on it. @returns what it printed; on failure, also its errors */
    async run(file: string, text: string, command: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
      await writeFile(join(folder, file), text)
      const options = { cwd: folder, env: { PATH: process.env.PATH, ...env } }
      const { stdout } = await run(process.execPath, [...command, file], options).catch(error => ({
        stdout: `${error.stdout}${error.stderr}`,
      }))
      return stdout
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
