import { PageHeader } from "@/components/ui/page-header";

export default function DeadLettersPage() {
  return <PageHeader title="Dead letters" />;
}
