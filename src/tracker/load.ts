import { read } from './dom.ts'
import { page } from './pages.ts'
import type { Passed } from './passed.ts'
import { safe } from './safe.ts'
import { send } from './send.ts'
import { beside, endpoints, options, say, tag } from './settings.ts'

interface Policy {
  createScriptURL(url: string): string
}

interface TrustedTypes {
  defaultPolicy: unknown
  createPolicy(name: string, rules: Policy): Policy
}

const loaded: string[] = []
let policy: Policy | undefined

/** Loads a script from where this one came, once. */
export function load(file: string): void {
  if (loaded.includes(file)) return
  loaded.push(file)
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  // A default policy decides about plain addresses.
  if (trustedTypes && !trustedTypes.defaultPolicy && !policy)
    safe(() => {
      policy = trustedTypes.createPolicy('analytics', { createScriptURL: url => url })
    })()
  const passed: Passed = { page, send, options, endpoints }
  const url = beside(file)
  const script = Document.prototype.createElement.call(document, 'script')
  try {
    // The page's policy may allow scripts by a nonce.
    Object.assign(script, {
      analytics: passed,
      nonce: (tag && tag.nonce) || '',
      src: policy ? policy.createScriptURL(url) : url,
    })
    read(document, 'head').append(script)
  } catch {
    say(`${file} needs the Trusted Types policy "analytics": name it in trusted-types`)
  }
}
