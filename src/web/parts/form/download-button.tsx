import { type ReactNode, useState } from 'react'
import { download } from '../../api/files.ts'
import { usePlainFormat } from '../../format/format.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Button } from './button.tsx'
import css from './form.module.css'

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

interface CsvButtonProps {
  /** Of the API, below the site: `stats/breakdown`. */
  path: string
  /** Input of the read, with `siteKey`; pages are left out, so that the file has all rows. */
  query: Record<string, unknown> & { siteKey: string }
  /** Name of the file, without its ending. */
  name: string
}

/** Saves a list as a CSV file, for readers who may take lists away; for readers with a decimal comma also in the form that their spreadsheets open. */
export function CsvButton({ path, query, name }: CsvButtonProps) {
  const { actions } = useText().common
  const { hasDecimalComma } = usePlainFormat()
  const { mayExport } = useSite()
  const { siteKey, page: _page, per_page: _perPage, ...rest } = query
  const button = (label: string, more: Record<string, string> = {}) => (
    <DownloadButton
      path={`sites/${siteKey}/${path}`}
      query={{ ...rest, ...more }}
      name={`${name}.csv`}
      accept="text/csv"
      kind="quiet"
    >
      {label}
    </DownloadButton>
  )
  if (!mayExport) return null
  return (
    <span className={css.csvButtons}>
      {button(actions.download)}
      {hasDecimalComma && button(actions.downloadSemicolon, { csv_delimiter: 'semicolon' })}
    </span>
  )
}
