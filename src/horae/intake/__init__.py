"""`horae intake`: takes requests from RabbitMQ or Redis and submits them as the API would."""
