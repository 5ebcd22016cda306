import { createContext, type ReactNode, useContext, useEffect, useRef, useSyncExternalStore } from 'react'
import { api, type Outputs, sendAs, senderHeaders, TOGETHER } from '../../api/client.ts'
import { failureOf } from '../../api/failure.ts'
import { useRead } from '../../api/use-read.ts'
import { remember, remembered } from '../../state/storage.ts'
import { Away } from '../message-pages.tsx'
import { Questions } from './questions.tsx'

export type Person = Outputs['account']['get']
export type Team = Person['teams'][number]

const PersonContext = createContext<Person | undefined>(undefined)
const STORED = 'team'

/** Key of the read of the person's own login. */
export const PERSON = ['account'] as const

/** Reads who is signed in. A team without them was deleted, or is that of the last person of this browser. */
export async function readPerson(signal: AbortSignal): Promise<Person> {
  const ask = () => api.account.get.query(undefined, { signal, context: TOGETHER })
  try {
    return await ask()
  } catch (error) {
    if (senderHeaders()['X-Team'] === undefined || failureOf(error).kind !== 'missing') throw error
    acting = undefined
    remember(STORED, null)
    sendAs({})
    return ask()
  }
}

/** Loads who is signed in; without a session it leads to the page for signing in, and asks in a dialog when one ends later. */
export function SignedIn({ children }: { children: ReactNode }) {
  const person = useRead(PERSON, readPerson)
  useOnePerson(person.data?.id)
  if (!person.data) {
    if (person.failure?.kind !== 'signed_out')
      return person.failure ? <Away failure={person.failure} again={person.again} /> : null
    leadToLogin()
    return null
  }
  const team = currentTeam(person.data)
  // Whatever the page asks first is asked in this team.
  if (team) sendAs({ team: team.id })
  return (
    <PersonContext value={person.data}>
      {children}
      <Questions loginId={person.data.id} />
    </PersonContext>
  )
}

/**
 * Loads the page anew when it may be another person's: another person signed in in another tab, or the browser kept the page and shows
 * it again after signing out.
 */
function useOnePerson(id: string | undefined): void {
  const first = useRef(id)
  useEffect(() => {
    first.current ??= id
    if (id !== undefined && id !== first.current) location.reload()
  }, [id])
  useEffect(() => {
    const show = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return
      document.body.replaceChildren()
      location.reload()
    }
    addEventListener('pageshow', show)
    return () => removeEventListener('pageshow', show)
  }, [])
}

/** Returns who is signed in. */
export function usePerson(): Person {
  const person = useContext(PersonContext)
  if (!person) throw new Error('usePerson() needs <SignedIn>')
  return person
}

/** Team in which this tab acts; another tab may act in another one. */
let acting: string | undefined

/** Acts in a team from now on, also after a reload. */
export function actIn(team: string): void {
  acting = team
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

export const rememberedTeam = (): string | undefined => acting ?? remembered(STORED) ?? undefined

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
