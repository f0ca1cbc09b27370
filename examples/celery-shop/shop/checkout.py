"""What the shop's web application does when an order is placed: `python -m shop.checkout ann@example.com 4200`."""

import sys

from celery import chain

from shop import orders
from shop.tasks import charge, send_mail


def place_order(email: str, cents: int) -> int:
    order_id = orders.add(email, cents)
    chain(charge.si(order_id), send_mail.si(order_id, "Receipt")).delay()
    return order_id


if __name__ == "__main__":
    print("order", place_order(sys.argv[1], int(sys.argv[2])))
