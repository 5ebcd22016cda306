import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react'
import { api, sendAs, TOGETHER } from '../api/client.ts'
import type { Outputs } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { remember, remembered } from '../state/storage.ts'
import { Away } from './away.tsx'

export type Person = Outputs['account']['get']
export type Team = Person['teams'][number]

const PersonContext = createContext<Person | undefined>(undefined)
const STORED = 'team'

/** Key of the read of the person's own login. */
export const PERSON = ['account'] as const

export const readPerson = (signal: AbortSignal) =>
  api.account.get.query(undefined, { signal, context: TOGETHER })

/** Loads who is signed in; without a session it leads to the page for signing in. */
export function SignedIn({ children }: { children: ReactNode }) {
  const person = useRead(PERSON, readPerson)
  if (person.failure?.kind === 'signed_out') {
    leadToLogin()
    return null
  }
  if (!person.data) return person.failure ? <Away failure={person.failure} again={person.again} /> : null
  const team = currentTeam(person.data)
  // Whatever the page asks first is asked in this team.
  if (team) sendAs({ team: team.id })
  return <PersonContext value={person.data}>{children}</PersonContext>
}

/** Returns who is signed in. */
export function usePerson(): Person {
  const person = useContext(PersonContext)
  if (!person) throw new Error('usePerson() needs <SignedIn>')
  return person
}

/** Acts in a team from now on, also after a reload. */
export function actIn(team: string): void {
  remember(STORED, team)
  sendAs({ team })
  for (const listener of listeners) listener()
}

const listeners = new Set<() => void>()

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the team in which the person acts; undefined for a person without a team. */
export function useCurrentTeam(): Team | undefined {
  const person = usePerson()
  const id = useSyncExternalStore(subscribe, () => currentTeam(person)?.id)
  return person.teams.find(team => team.id === id)
}

export const rememberedTeam = (): string | undefined => remembered(STORED) ?? undefined

/** Returns the team in which this browser acted last, if the person still belongs to it, else their first one. */
export function currentTeam({ teams }: Person): Team | undefined {
  return teams.find(({ id }) => id === rememberedTeam()) ?? teams[0]
}

function leadToLogin(): void {
  const here = location.href.slice(document.baseURI.length)
  const address = new URL('login', document.baseURI)
  if (here !== '') address.searchParams.set('return_to', `/${here}`)
  location.replace(address)
}
