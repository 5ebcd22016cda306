import { useState } from 'react'
import { isReachable } from '../api/connection.ts'
import { Button } from '../parts/form/button.tsx'
import { useText } from '../text/text.tsx'

/** Loads the page anew as soon as the service answers: without an answer it would become an error page of the browser. */
export function ReloadButton() {
  const { actions } = useText().common
  const [isBusy, setBusy] = useState(false)
  const reload = async () => {
    setBusy(true)
    if (await isReachable()) location.reload()
    else setBusy(false)
  }
  return (
    <Button isBusy={isBusy} onClick={reload}>
      {actions.again}
    </Button>
  )
}
