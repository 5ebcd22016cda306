import { Empty } from '../../parts/states.tsx'

export default function ErrorPage() {
  return <Empty />
}
