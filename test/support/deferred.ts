/** A promise that the test settles, as `Promise.withResolvers` of later versions of Node. */
export function deferred<Value = void>() {
  let resolve: (value: Value) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}
