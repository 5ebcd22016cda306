import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../src/platform/config/config.ts'

type Texts = Partial<Record<'version' | 'integrity' | 'resolved', string>>
type Flags = Partial<Record<'link' | 'optional', boolean>>
type Entry = Texts & Flags & Partial<Record<'os' | 'cpu' | 'libc', string[]>>

const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>
}
const entries = Object.entries(packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
)
const withoutHash = entries.filter(([, { integrity }]) => integrity === undefined)

/** Binaries for other platforms: the registry had no hash of these versions when they were locked. */
const KNOWN_WITHOUT = Object.entries({
  '@biomejs/cli-*@2.6.8':
    'android-arm64 android-x64 darwin-arm64 darwin-x64 linux-arm64-musl linux-x64-musl win32-arm64 win32-x64',
  '@msgpackr-extract/msgpackr-extract-*@3.0.7': 'darwin-arm64 darwin-x64 linux-arm win32-x64',
  '@oxc-parser/binding-*@0.156.0': `android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64
    linux-arm-gnueabihf linux-arm-musleabihf linux-ppc64-gnu linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu
    openharmony-arm64 win32-arm64-msvc win32-ia32-msvc win32-x64-msvc`,
}).flatMap(([name, platforms]) => platforms.split(/\s+/).map(platform => name.replace('*', platform)))
const HASH = expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/)

test('lock file: hashes are SHA-512', () => {
  expect(entries.length).toBeGreaterThan(400)
  for (const [path, { integrity }] of entries) {
    if (integrity !== undefined) expect([path, integrity]).toEqual([path, HASH])
  }
})

test('lock file: every package has a hash, except known packages of other platforms', () => {
  const names = withoutHash.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`)
  expect(names.sort()).toEqual(KNOWN_WITHOUT.sort())
})

test('lock file: all packages for Linux with glibc on x64 and arm64 have a hash', () => {
  const fits = ({ os = ['linux'], cpu = ['x64', 'arm64'], libc = ['glibc'] }: Entry) =>
    os.includes('linux') && (cpu.includes('x64') || cpu.includes('arm64')) && libc.includes('glibc')
  expect(withoutHash.filter(([, entry]) => fits(entry) || !entry.optional)).toEqual([])
})

test('lock file: all packages come from the configured registry of npm', () => {
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})
