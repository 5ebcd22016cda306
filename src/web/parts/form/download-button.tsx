import { type ReactNode, useState } from 'react'
import { download } from '../../api/download.ts'
import { Button } from './button.tsx'

interface Props {
  /** Of the API, such as `sites/example.com/export`. */
  path: string
  query?: Record<string, unknown>
  /** Name of the file. */
  name: string
  /** Content type that is asked for; by default that of the endpoint. */
  accept?: string
  kind?: 'main' | 'quiet'
  children: ReactNode
}

/** Saves an answer of the API as a file; says so when that fails. */
export function DownloadButton({ path, query = {}, name, accept, kind, children }: Props) {
  const [state, setState] = useState<'ready' | 'busy' | { error: string }>('ready')
  const save = async () => {
    setState('busy')
    try {
      await download(path, query, name, accept)
      setState('ready')
    } catch (error) {
      setState({ error: (error as Error).message })
    }
  }
  return (
    <>
      <Button {...(kind && { kind })} isBusy={state === 'busy'} onClick={save}>
        {children}
      </Button>
      {typeof state === 'object' && <span role="alert">{state.error}</span>}
    </>
  )
}
