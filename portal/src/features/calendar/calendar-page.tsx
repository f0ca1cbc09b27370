import { PageHeader } from "@/components/ui/page-header";

export default function CalendarPage() {
  return <PageHeader title="Calendar" />;
}
