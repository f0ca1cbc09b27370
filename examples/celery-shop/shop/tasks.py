"""The tasks of the shop."""

import time

from shop import mail, orders
from shop.celery import app


@app.task(bind=True, max_retries=3)
def charge(self, order_id: int) -> int:
    """Charges the customer of an order."""
    try:
        return orders.charge(order_id)
    except orders.BankAway as error:
        raise self.retry(exc=error, countdown=2) from error


@app.task(autoretry_for=(mail.Deferred,), retry_backoff=1, retry_backoff_max=600, retry_jitter=False, max_retries=5)
def send_mail(order_id: int, subject: str) -> str:
    """Mails the customer of an order."""
    return mail.send(orders.find(order_id).email, f"{subject} {order_id}")


@app.task
def remind_customers(idle_minutes: int) -> int:
    """Reminds customers who have not paid for a while: a task that starts others."""
    found = orders.unpaid(idle_minutes)
    for order in found:
        orders.reminded(order.id)
        send_mail.delay(order.id, "Reminder")
    return len(found)


@app.task
def nightly_report(currency: str = "EUR") -> dict[str, str | int]:
    """Sums up what was paid."""
    paid = orders.paid()
    return {"orders": len(paid), "cents": sum(order.cents for order in paid), "currency": currency}


@app.task(time_limit=600)
def recount_stock(warehouse: str, shelves: int = 20) -> str:
    """Takes a while."""
    for shelf in range(1, shelves + 1):
        time.sleep(0.05)
        print(f"{warehouse}: shelf {shelf} of {shelves}")
    return f"{shelves} shelves of {warehouse}"
