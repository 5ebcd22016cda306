import { Empty } from '../../parts/states.tsx'

export default function Errors() {
  return <Empty />
}
